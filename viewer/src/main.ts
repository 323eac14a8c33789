// Begins: the page that is looked at, or, where the address says so, pictures for a movie.
import { capture } from "./capture";
import { Page } from "./page";

declare global {
  interface Window {
    /** for tests and measurements */
    stiffly?: unknown;
  }
}

const query = new URLSearchParams(location.search);
if (query.has("capture")) {
  void capture();
} else {
  const page = new Page();
  window.stiffly = page;
  void page.load();
}

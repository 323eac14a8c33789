// The page is served below a secret path, so its files are named relative to it.
import { defineConfig } from "vite";

export default defineConfig({
  base: "./",
  build: {
    outDir: process.env.STIFFLY_VIEWER_OUT ?? "../build/viewer",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 800,
    modulePreload: { polyfill: false },
  },
});

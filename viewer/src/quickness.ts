// How much is drawn while the picture moves, so that it moves.

export interface Level {
  /** of triangles, springs, fibres and particles */
  share: number;
  /** of the screen's pixels along each side of the picture */
  scale: number;
  /** shadows on the ground, and edges without steps: several samples a pixel, which is dear where there is no graphics card */
  fine: boolean;
}

/** From all to little. */
export const levels: Level[] = [
  { share: 1, scale: 1, fine: true }, { share: 0.5, scale: 1, fine: false }, { share: 0.25, scale: 1, fine: false },
  { share: 0.125, scale: 0.8, fine: false }, { share: 0.0625, scale: 0.65, fine: false }, { share: 0.03125, scale: 0.5, fine: false },
];

const slow = 48; // ms from picture to picture
const quick = 20;

/** Watches the time between pictures that follow each other, and chooses a level. */
export class Quickness {
  level = 0;
  private mean = 0;
  private seen = 0;
  private last = 0;
  private stood = true;
  private tooSlow = new Set<number>();

  /** Called with every picture of a moving one. Whether the level has changed. */
  picture(now: number): boolean {
    const spent = now - this.last;
    this.last = now;
    if (this.stood) {
      this.stood = false;
      return false;
    }
    this.mean = this.seen++ ? 0.75 * this.mean + 0.25 * spent : spent;
    if (this.seen < (this.mean > 10 * slow ? 2 : 4)) return false;
    if (this.mean > slow && this.level + 1 < levels.length) {
      this.tooSlow.add(this.level);
      return this.go(this.level + (this.mean > 3 * slow ? 2 : 1));
    }
    if (this.mean < quick && this.level > 0 && !this.tooSlow.has(this.level - 1)) return this.go(this.level - 1);
    return false;
  }

  /** Called while nothing moves: the time until the next picture is nobody's fault. */
  still(): void {
    this.stood = true;
  }

  /** Pictures a second, where it moves. */
  get rate(): number {
    return this.mean > 0 ? 1000 / this.mean : 0;
  }

  /** Other things are drawn now. */
  reset(): void {
    this.tooSlow.clear();
    this.seen = 0;
  }

  private go(level: number): boolean {
    this.level = Math.min(level, levels.length - 1);
    this.seen = 0;
    return true;
  }
}

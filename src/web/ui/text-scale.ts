/** Returns the factor by which the page's texts are enlarged; on very wide screens everything grows with them. */
export const textScale = (): number =>
  Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1;

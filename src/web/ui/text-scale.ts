/** Returns the factor by which the page's texts are enlarged: on very wide screens all that goes with them grows alike. */
export const textScale = (): number =>
  Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1;

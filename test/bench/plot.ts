/** A curve over a logarithmic x axis; y starts at zero, so that flat looks flat. */
export interface Plot {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly points: ReadonlyArray<{ readonly x: number; readonly y: number }>;
}

const WIDTH = 640;
const HEIGHT = 280;
/** Room beside the first and last point for their numbers. */
const INSET = 36;
const MARGIN = { left: 64, right: 24, top: 44, bottom: 48 };

const short = (value: number): string => {
  if (value >= 1e6) return `${Number((value / 1e6).toPrecision(3))} M`;
  if (value >= 1e3) return `${Number((value / 1e3).toPrecision(3))} k`;
  return String(Number(value.toPrecision(3)));
};

/** A round number at or above `value`: 1, 2 or 5 times a power of ten. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1e-9)));
  return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power;
}

/** The plot as SVG that reads on light and dark pages. */
export function renderPlot({ title, xLabel, yLabel, points }: Plot): string {
  const logs = points.map(({ x }) => Math.log10(x));
  const [low, high] = [Math.min(...logs), Math.max(...logs)];
  const top = roundUp(Math.max(...points.map(({ y }) => y)) * 1.05);
  const px = (x: number) =>
    MARGIN.left +
    INSET +
    ((Math.log10(x) - low) / Math.max(high - low, 1e-9)) * (WIDTH - MARGIN.left - MARGIN.right - 2 * INSET);
  const py = (y: number) => HEIGHT - MARGIN.bottom - (y / top) * (HEIGHT - MARGIN.top - MARGIN.bottom);
  const text = (x: number, y: number, content: string, anchor = "middle") =>
    `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}">${content}</text>`;
  const grid = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const y = py(share * top);
    return `<line x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${y.toFixed(1)}" y2="${y.toFixed(1)}" stroke="#8886"/>${text(MARGIN.left - 8, y + 4, short(share * top), "end")}`;
  });
  const line = points.map(({ x, y }) => `${px(x).toFixed(1)},${py(y).toFixed(1)}`).join(" ");
  const marks = points.map(
    ({ x, y }) =>
      `<circle cx="${px(x).toFixed(1)}" cy="${py(y).toFixed(1)}" r="4" fill="#0e7c8c"/>${text(px(x), py(y) - 10, short(y))}`,
  );
  const ticks = points.map(({ x }) => text(px(x), HEIGHT - MARGIN.bottom + 18, short(x)));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui,sans-serif" font-size="12" fill="#888">
<rect width="${WIDTH}" height="${HEIGHT}" fill="none"/>
<text x="${MARGIN.left}" y="22" font-size="15" font-weight="600">${title}</text>
${grid.join("\n")}
<polyline points="${line}" fill="none" stroke="#0e7c8c" stroke-width="2.5"/>
${marks.join("\n")}
${ticks.join("\n")}
${text((MARGIN.left + WIDTH - MARGIN.right) / 2, HEIGHT - 10, xLabel)}
<text transform="translate(14 ${(HEIGHT / 2).toFixed(0)}) rotate(-90)" text-anchor="middle">${yLabel}</text>
</svg>
`;
}

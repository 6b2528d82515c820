// A dashboard on paper: pages end between widgets.

import { expect, test } from "bun:test";
import { useConsole } from "./support/console-page.ts";

const ui = useConsole({ isStill: true });
const WIDGETS = 14;

test("on paper, widgets stand in a grid that pages do not cut", async () => {
  const { page } = ui;
  const widgets = Array.from({ length: WIDGETS }, (_, n) => ({
    widgetId: `w${n}`,
    type: "markdown",
    name: `Note ${n}`,
    config: { text: `note ${n}` },
  }));
  const layout = widgets.map(({ widgetId: i }, n) => ({
    i,
    x: (n % 2) * 6,
    y: Math.floor(n / 2) * 4,
    w: 6,
    h: 4,
  }));
  const { id } = (await ui.call("POST", "/api/dashboards", { name: "Paper", widgets, layout })) as {
    id: string;
  };
  await ui.open(`/dashboards/${id}`);
  await page.getByText("note 0", { exact: true }).waitFor();
  await page.emulateMedia({ media: "print" });
  const places = await page.getByTestId("widget").evaluateAll((all) =>
    all.map((element) => {
      const cell = element.parentElement as HTMLElement;
      const { x, y, width, height } = cell.getBoundingClientRect();
      const { breakInside, position } = getComputedStyle(cell);
      return { x, y, width, height, breakInside, position };
    }),
  );
  expect(places).toHaveLength(WIDGETS);
  const [first] = places;
  for (const [index, place] of places.entries()) {
    const { breakInside, position, width, height } = place;
    expect({ breakInside, position }).toEqual({ breakInside: "avoid", position: "relative" });
    expect([Math.round(width), Math.round(height)]).toEqual([
      Math.round(first?.width ?? 0),
      Math.round(first?.height ?? 0),
    ]);
    const above = places[index - 2];
    if (above !== undefined) expect(place.y).toBeGreaterThanOrEqual(above.y + above.height);
  }
  if (process.env.SHOTS) await page.pdf({ path: `${process.env.SHOTS}/paper.pdf`, format: "A4" });
  await page.emulateMedia({ media: "screen" });
  expect(ui.complaints).toEqual([]);
});

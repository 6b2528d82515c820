import { describe, expect, test } from "bun:test";
import {
  boardOf,
  configWith,
  formOf,
  layoutIn,
  newId,
  usersOf,
  widgetsIn,
  withAlias,
  withCopy,
  withoutPage,
  withoutWidget,
  withPage,
  withPageForward,
  withWidget,
} from "../../../../../src/web/features/dashboards/board/board.ts";
import { begin, redo, step, undo } from "../../../../../src/web/features/dashboards/board/edit-history.ts";
import type { Dashboard } from "../../../../../src/web/features/dashboards/dashboards-api.ts";
import { parseMarkdown } from "../../../../../src/web/features/dashboards/markdown.ts";

const widget = (widgetId: string, dashboardStateId?: string) => ({
  widgetId,
  type: "value",
  name: widgetId,
  config: {},
  ...(dashboardStateId !== undefined && { dashboardStateId }),
});
const dashboard = (fields: Partial<Dashboard> = {}): Dashboard => ({
  id: "d",
  name: "Hall",
  type: "STATIC",
  states: [],
  layout: [],
  widgets: [],
  aliases: [],
  updatedBy: "somebody@example.com",
  updatedAt: "2026-01-01T00:00:00Z",
  ...fields,
});

describe("a dashboard that is edited", () => {
  test("keeps texts that are no items", () => {
    const shown = boardOf(
      dashboard({
        widgets: ["a note", widget("a"), '{"id":1}'],
        states: ["main"],
        layout: ["{"],
        aliases: [""],
      }),
    );
    expect(shown.widgets.map(({ widgetId }) => widgetId)).toEqual(["a"]);
    expect(formOf(shown)).toMatchObject({
      widgets: [widget("a"), "a note", '{"id":1}'],
      states: [{ id: "default" }, "main"],
      layout: [{ i: "a" }, "{"],
      aliases: [""],
    });
  });

  test("is the same in both forms of its items", () => {
    const items = { widgets: [widget("a")], layout: [{ i: "a", x: 0, y: 0, w: 4, h: 2 }] };
    const texts = {
      widgets: items.widgets.map((item) => JSON.stringify(item)),
      layout: items.layout.map((item) => JSON.stringify(item)),
    };
    expect(boardOf(dashboard(texts))).toEqual(boardOf(dashboard(items)));
    expect(formOf(boardOf(dashboard(items)))).toMatchObject(items);
  });

  test("gives a widget without a place one, and forgets places without a widget", () => {
    const { layout } = boardOf(
      dashboard({ widgets: [widget("a"), widget("b")], layout: [{ i: "gone", x: 0, y: 0, w: 12, h: 9 }] }),
    );
    expect(layout.map(({ i }) => i)).toEqual(["a", "b"]);
  });

  test("shows in a state its own widgets and those of all, without holes", () => {
    const board = boardOf(
      dashboard({
        states: [
          { id: "one", name: "1" },
          { id: "two", name: "2" },
        ],
        widgets: [widget("a", "one"), widget("b", "two"), widget("c")],
        layout: ["a", "b", "c"].map((i, y) => ({ i, x: 0, y: y * 2, w: 12, h: 2 })),
      }),
    );
    expect(layoutIn(board, "two").map(({ i, y }) => `${i} ${y}`)).toEqual(["b 0", "c 2"]);
  });

  test("takes a widget in, changes it and lets it go; ids are never given twice", () => {
    const empty = boardOf(dashboard());
    const board = withWidget(empty, widget("w1"), { w: 3, h: 2 });
    expect(board.layout).toEqual([{ i: "w1", x: 0, y: 0, w: 3, h: 2 }]);
    const changed = withWidget(board, { ...widget("w1"), name: "other" }, { w: 9, h: 9 });
    expect([changed.widgets[0]?.name, changed.layout]).toEqual(["other", board.layout]);
    expect(withoutWidget(changed, "w1")).toMatchObject({ widgets: [], layout: [] });
    expect(newId("w", ["w1", "w3", "w4"])).toBe("w5");
    expect(newId("w", ["w2"])).not.toBe("w2");
  });
});

test("steps are taken back and done again; a new one ends what was taken back", () => {
  const third = step(step(begin(1), 2), 3);
  expect(undo(undo(undo(third))).now).toBe(1);
  expect(redo(undo(third)).now).toBe(3);
  const branched = step(undo(third), 9);
  expect([branched.now, redo(branched).now]).toEqual([9, 9]);
  expect(step(third, 3)).toBe(third);
});

describe("notes", () => {
  test("headings, paragraphs, lists, code and what stands in lines", () => {
    const blocks = parseMarkdown(
      "# Hall **2**\n\nCall `112`\nat once.\n\n- one\n- *two*\n\n1. first\n```\na < b\n```",
    );
    expect(blocks).toEqual([
      {
        kind: "heading",
        level: 1,
        content: [
          { kind: "text", text: "Hall " },
          { kind: "strong", text: "2" },
        ],
      },
      {
        kind: "paragraph",
        content: [
          { kind: "text", text: "Call " },
          { kind: "code", text: "112" },
          { kind: "text", text: " at once." },
        ],
      },
      {
        kind: "list",
        ordered: false,
        items: [[{ kind: "text", text: "one" }], [{ kind: "em", text: "two" }]],
      },
      { kind: "list", ordered: true, items: [[{ kind: "text", text: "first" }]] },
      { kind: "code", text: "a < b" },
    ]);
  });

  test("a link leads to a page and never to a script", () => {
    const [block] = parseMarkdown(
      "[a](https://x.example) [b](javascript:alert(1)) [c](//evil) [d](/devices)",
    );
    const links = block?.kind === "paragraph" ? block.content.filter(({ kind }) => kind === "link") : [];
    expect(links).toMatchObject([{ href: "https://x.example" }, { href: "/devices" }]);
  });

  test("whatever is written comes to an end", () => {
    for (const text of ["```", "####", "- ", "1.", "**", "[](", "\n\n\n", "#"])
      expect(parseMarkdown(text)).toBeArray();
  });
});

test("a text of openings without an end takes no longer than others", () => {
  for (const part of ["[a](", "[", "**", "`", "*a"]) {
    const text = part.repeat(200_000);
    expect(parseMarkdown(text).length).toBeGreaterThan(0);
  }
});

describe("pages", () => {
  const two = withPage(boardOf(dashboard({ widgets: [widget("a"), widget("b")] })), "Second");
  const [first, second] = two.states.map(({ id }) => id) as [string, string];

  test("what stood on the only one stays there when a second comes", () => {
    expect(widgetsIn(two, first).map(({ widgetId }) => widgetId)).toEqual(["a", "b"]);
    expect(widgetsIn(two, second)).toEqual([]);
    const three = withPage(withWidget(two, widget("all"), { w: 1, h: 1 }), "Third");
    expect(widgetsIn(three, second).map(({ widgetId }) => widgetId)).toEqual(["all"]);
    expect(new Set(three.states.map(({ id }) => id)).size).toBe(3);
  });

  test("a new widget stands where its page has room, whatever stands on others", () => {
    const board = withWidget(two, widget("c", second), { w: 4, h: 3 });
    expect(layoutIn(board, second)).toMatchObject([{ i: "c", x: 0, y: 0 }]);
    expect(layoutIn(board, first)).toEqual(layoutIn(two, first));
  });

  test("one is taken away with its own widgets and their places; the last one stays", () => {
    const left = withoutPage(withWidget(two, widget("c", second), { w: 2, h: 2 }), first);
    expect(left.widgets.map(({ widgetId }) => widgetId)).toEqual(["c"]);
    expect(left.layout.map(({ i }) => i)).toEqual(["c"]);
    expect(withoutPage(left, second)).toBe(left);
  });

  test("one goes forward, the first nowhere", () => {
    expect(withPageForward(two, 1).states.map(({ id }) => id)).toEqual([second, first]);
    expect(withPageForward(two, 0).states).toEqual([...two.states]);
  });
});

test("an alias that is renamed takes along the widgets that call it by its name", () => {
  const alias = { id: "one", name: "Ovens", type: "deviceType", deviceType: "oven" };
  const board = boardOf(
    dashboard({
      aliases: [alias],
      widgets: [
        { ...widget("a"), config: { aliasId: "one" } },
        { ...widget("b"), config: { alias: "Ovens" } },
        { ...widget("c"), config: { alias: "Others" } },
      ],
    }),
  );
  expect(usersOf(board, alias)).toBe(2);
  const after = { ...alias, name: "Kilns" };
  const renamed = withAlias(board, alias, after);
  expect(renamed.aliases).toEqual([after]);
  expect(usersOf(renamed, after)).toBe(2);
  expect(renamed.widgets[2]?.config).toEqual({ alias: "Others" });
});

describe("a copy of a widget", () => {
  const ovens = { id: "one", name: "Ovens", type: "deviceType", deviceType: "oven" };
  const source = boardOf(
    dashboard({
      aliases: [ovens],
      widgets: [{ ...widget("w1"), config: { aliasId: "one", key: "t" } }],
      layout: [{ i: "w1", x: 0, y: 0, w: 5, h: 2 }],
    }),
  );
  const [original] = source.widgets as [(typeof source.widgets)[0]];

  test("on its own dashboard has another id, the same devices and the same size", () => {
    const copied = withCopy(source, original, source);
    expect(copied.widgets).toEqual([original, { ...original, widgetId: "w2" }]);
    expect(copied.aliases).toEqual([ovens]);
    expect(copied.layout).toMatchObject([{ i: "w1" }, { i: "w2", x: 5, y: 0, w: 5, h: 2 }]);
  });

  test.each([
    ["takes its devices along", [], ["a1", "Ovens"], 1],
    [
      "finds its devices there, whatever they are called",
      [{ ...ovens, id: "x", name: "Kilns" }],
      ["x", "Kilns"],
      1,
    ],
    [
      "calls its devices otherwise, where others have their name",
      [{ ...ovens, deviceType: "mill" }],
      ["a2", "Ovens (a2)"],
      2,
    ],
  ] as const)("to another dashboard %s", (_, aliases, [id, name], count) => {
    for (const config of [original.config, { alias: "Ovens", key: "t" }]) {
      const target = boardOf(
        dashboard({ aliases, widgets: [widget("w1")], states: [{ id: "p", name: "P" }] }),
      );
      const copied = withCopy(target, { ...original, config, dashboardStateId: "gone" }, source);
      expect(copied.widgets.at(-1)).toEqual({
        ...original,
        widgetId: "w2",
        config: { aliasId: id, key: "t" },
      });
      expect(copied.aliases.find((alias) => alias.id === id)).toEqual({
        ...ovens,
        ...aliases[count - 1],
        id,
        name,
        deviceType: "oven",
      });
      expect(copied.aliases).toHaveLength(count);
    }
  });

  test("stands on the first page of a dashboard with several", () => {
    const states = [
      { id: "first", name: "1" },
      { id: "second", name: "2" },
    ];
    expect(withCopy(boardOf(dashboard({ states })), original, source).widgets[0]?.dashboardStateId).toBe(
      "first",
    );
  });
});

test("the config of a widget keeps no empty fields except for the params of a command", () => {
  for (const params of [false, "", null, 0, {}])
    expect(configWith({ method: "set", confirm: true }, { params, confirm: false, label: "" })).toEqual({
      method: "set",
      params,
    });
  expect(configWith({ method: "set", params: false }, { params: undefined })).toEqual({ method: "set" });
});

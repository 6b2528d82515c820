// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of site files look like this
import { expect, test } from "bun:test";
import { findMark } from "../../src/cli/site/find-mark.ts";
import type { Fields } from "../../src/cli/site/site.types.ts";
import { createSecretNames, maskSecrets } from "../../src/cli/site/snapshot.ts";

const step = (host: string, secret: unknown) => ({ type: "webhook_forward", url: `https://${host}`, secret });
const steps = [step("a", { kept: "of a" }), step("b", { kept: "of b" })];
const current = {
  key: "Forward",
  id: "1",
  isExported: true,
  ...maskSecrets({ steps }, { section: "pipelines", key: "Forward", secretNames: createSecretNames() }),
};
const [first, second] = current.fields.steps as readonly [Fields, Fields]; // two steps were given
const markAt = (file: readonly unknown[], index: number) => {
  const name = /secret:(\w+)/.exec(JSON.stringify(file[index]))?.[1] ?? "";
  return findMark({ fields: { steps: file }, current }, name, ["steps", index, "secret"])?.mark;
};

test("placeholders have names without places in lists", () => {
  expect([first.secret, second.secret]).toEqual([
    "${secret:PIPELINES_FORWARD_STEPS_SECRET}",
    "${secret:PIPELINES_FORWARD_STEPS_SECRET_2}",
  ]);
});

test("a step keeps its secret when another comes before it, and when steps change places", () => {
  const moved = [{ type: "rename_keys" }, first, second];
  expect([markAt(moved, 1), markAt(moved, 2)]).toEqual([{ kept: "of a" }, { kept: "of b" }]);
  const swapped = [second, first];
  expect([markAt(swapped, 0), markAt(swapped, 1)]).toEqual([{ kept: "of b" }, { kept: "of a" }]);
});

test("a step that is unchanged keeps its secret, whatever the file calls it", () => {
  const renamed = [step("a", "${secret:PIPELINES_FORWARD_STEPS_SECRET_2}"), step("b", "${secret:MINE}")];
  expect([markAt(renamed, 0), markAt(renamed, 1)]).toEqual([{ kept: "of a" }, { kept: "of b" }]);
});

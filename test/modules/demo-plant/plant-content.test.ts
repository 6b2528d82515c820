import { expect, test } from "bun:test";
import { limitLevel, limitSeverities } from "../../../src/lib/keys/key-metadata.ts";
import { profiles } from "../../../src/modules/demo-plant/plant-content.ts";

/** Returns a value that meets a comparison, close to its limit. */
const beyond = (op: string, value: number): number => (op === "GT" ? value + 0.1 : value - 0.1);

test("the alarms of the demo plant have the severity of the limit that the value is beyond", () => {
  const compared = profiles.flatMap(({ alarmRules, keyMetadata = [] }) =>
    alarmRules
      .flatMap(({ createRules }) => createRules)
      .flatMap(({ severity, condition }) => {
        const { key, op, value } = condition as { key: string; op: string; value: unknown };
        const limits = keyMetadata.find((metadata) => metadata.key === key)?.limits;
        if (typeof value !== "number" || limits === undefined) return [];
        const level = limitLevel(beyond(op, value), limits);
        return [[key, severity, level === "normal" ? level : limitSeverities[level]] as const];
      }),
  );
  expect(compared.length).toBe(3);
  for (const [key, severity, expected] of compared) expect([key, severity]).toEqual([key, expected]);
});

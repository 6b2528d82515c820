import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { ALARM_SEVERITIES } from "../../../../src/lib/alarms/severity.ts";
import { contrast, parseColor } from "../../../../src/lib/console/colors.ts";
import { limitSeverities } from "../../../../src/lib/keys/key-metadata.ts";
import { stateColor } from "../../../../src/web/lib/state-colors.ts";
import { levelClass, severityClass, severityVariable } from "../../../../src/web/ui/state/severity-colors.ts";

const styles = readFileSync(new URL("../../../../src/web/styles.css", import.meta.url), "utf8");
const rgb = (text: string) => parseColor(text) ?? [0, 0, 0];

/** Returns the values of the variables of a theme. */
function tokensOf(theme: string): Map<string, string> {
  const [, block = ""] = styles.split(`name: "lineside-${theme}";`);
  const [own = ""] = block.split("}");
  return new Map(
    own.split(";").flatMap((line) => {
      const [name = "", value = ""] = line.split(":");
      return name.trim().startsWith("--") ? [[name.trim(), value.trim()] as const] : [];
    }),
  );
}

for (const theme of ["light", "dark"]) {
  const tokens = tokensOf(theme);
  const color = (name: string) => tokens.get(name) ?? "";
  const grounds = [color("--color-base-100"), color("--color-base-200")];

  test.each([...ALARM_SEVERITIES])(`the colors of %s are readable in the ${theme} theme`, (severity) => {
    for (const ground of grounds) {
      const mark = color(severityVariable(severity));
      const text = color(`${severityVariable(severity)}-text`);
      expect(contrast(rgb(mark), rgb(ground))).toBeGreaterThanOrEqual(3);
      expect(contrast(rgb(text), rgb(ground))).toBeGreaterThanOrEqual(4.5);
    }
  });

  test(`no two severities share a color in the ${theme} theme, and none has that of information`, () => {
    const marks = ALARM_SEVERITIES.map((severity) => color(severityVariable(severity)));
    expect(new Set([...marks, color("--color-info")]).size).toBe(ALARM_SEVERITIES.length + 1);
  });

  test(`red, orange and yellow states have the colors of severities in the ${theme} theme`, () => {
    const isDark = theme === "dark";
    expect(stateColor("red", isDark)).toBe(color(severityVariable("CRITICAL")));
    expect(stateColor("orange", isDark)).toBe(color(severityVariable("MAJOR")));
    expect(stateColor("yellow", isDark)).toBe(color(severityVariable("MINOR")));
  });
}

test("every class of a severity has a token in the style sheet", () => {
  for (const severity of ALARM_SEVERITIES)
    for (const use of ["text", "graphic", "ground", "fill"] as const)
      expect(styles).toContain(`--color-${severityClass(severity, use).replace(/^(text|fill|bg)-/, "")}:`);
});

test("a value beyond a limit has the color of the alarm that a rule on that limit raises", () => {
  for (const level of ["warning", "critical"] as const)
    expect(levelClass(level, "text")).toBe(severityClass(limitSeverities[level], "text"));
  expect(levelClass("normal", "fill", "bg-primary")).toBe("bg-primary");
});

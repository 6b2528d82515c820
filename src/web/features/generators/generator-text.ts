import { formatCount } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";

export type ProblemField =
  | "interval"
  | "metrics"
  | "devices"
  | "key"
  | "min"
  | "max"
  | "decimals"
  | "step"
  | "periodSeconds";

/** What the gateway says of a config, in the reader's language and where it belongs. */
export interface ConfigProblem {
  /** Of the metrics, from 0. */
  readonly row?: number;
  readonly field?: ProblemField;
  readonly text: string;
}

type Known = readonly [RegExp, ProblemField | undefined, (found: RegExpExecArray) => string];

const KNOWN: readonly Known[] = [
  [/^intervalSeconds: too short/, "interval", () => t("generatorProblem.tooFast")],
  [
    /^intervalSeconds: very short, makes (\d+)/,
    "interval",
    ([, count]) => t("generatorProblem.often", { count: formatCount(Number(count)) }),
  ],
  [/^intervalSeconds/, "interval", () => t("generatorProblem.interval")],
  [
    /^deviceIds: there is no device (.*)/,
    "devices",
    ([, id = ""]) => t("generatorProblem.deviceGone", { id }),
  ],
  [/^deviceIds: at most/, "devices", () => t("generatorProblem.devices")],
  [/^deviceIds/, "devices", () => t("generatorProblem.device")],
  [/^metrics: /, "metrics", () => t("generatorProblem.metrics")],
  [/\.key: stands/, "key", () => t("generatorProblem.keyTwice")],
  [/\.key: /, "key", () => t("generatorProblem.key")],
  [/\.min: /, "min", () => t("generatorProblem.number")],
  [/\.max: /, "max", () => t("generatorProblem.number")],
  [/: min must not be above/, "max", () => t("generatorProblem.order")],
  [/: min and max leave/, "max", () => t("generatorProblem.constant")],
  [/\.decimals: /, "decimals", () => t("generatorProblem.decimals")],
  [/\.step: has more/, "step", () => t("generatorProblem.stepDecimals")],
  [/\.step: /, "step", () => t("generatorProblem.step")],
  [/\.periodSeconds: fewer/, "periodSeconds", () => t("generatorProblem.coarse")],
  [/\.periodSeconds: /, "periodSeconds", () => t("generatorProblem.period")],
  [/^All active rule chains together/, undefined, () => t("generatorProblem.together")],
  [/^A tenant has 100 rule chains/, undefined, () => t("generatorProblem.full")],
  [/^(The|Its) devices.* were deleted/, undefined, () => t("generatorProblem.noDevices")],
  [/^Storage takes longer/, undefined, () => t("generatorProblem.slow")],
  [/^The disk is almost full/, undefined, () => t("generatorProblem.disk")],
  [/messages a second/, undefined, () => t("generatorProblem.rate")],
  [/^Only users with access to all devices/, "devices", () => t("generatorProblem.mayOwn")],
];

export function configProblem(message: string): ConfigProblem {
  const row = /^metrics\[(\d+)\]/.exec(message)?.[1];
  const at = row === undefined ? {} : { row: Number(row) };
  for (const [pattern, field, text] of KNOWN) {
    const found = pattern.exec(message);
    if (found) return { ...at, ...(field !== undefined && { field }), text: text(found) };
  }
  return { ...at, text: message };
}

import { type Difference, showValue } from "./differences.ts";
import { nameOfAction, type PlannedAction, type SitePlan } from "./plan.ts";
import { hasSecret } from "./references.ts";
import { formatPath } from "./site.types.ts";

const DIFFERENCES_SHOWN = 20;
const signs = { create: "+", change: "~", replace: "±", delete: "-" } as const;
const past = { create: "created", change: "changed", replace: "replaced", delete: "deleted" } as const;

/** A value that a secret replaces may be one itself. */
const showDifference = ({ path, from, to }: Difference): string =>
  `      ${formatPath(path)}: ${hasSecret(to) ? "…" : showValue(from)} → ${showValue(to)}`;

function showAction(action: PlannedAction): string[] {
  const line = `  ${signs[action.type]} ${nameOfAction(action)}`;
  if (action.type === "create" || action.type === "delete") return [line];
  const shown = action.differences.slice(0, DIFFERENCES_SHOWN).map(showDifference);
  const rest = action.differences.length - shown.length;
  return [line, ...shown, ...(rest > 0 ? [`      and ${rest} more`] : [])];
}

/** Formats a plan for the terminal. */
export function showPlan({ actions, unchanged, secrets }: SitePlan): string {
  const count = (type: PlannedAction["type"]) => actions.filter((action) => action.type === type).length;
  const replaced = count("replace");
  const changes = `${count("change")} to change${replaced === 0 ? "" : `, ${replaced} to replace`}`;
  const summary = `${count("create")} to create, ${changes}, ${count("delete")} to delete, ${unchanged} unchanged.`;
  const sent = secrets.map(({ variable, object, path }) => `  ${variable} → ${object}, ${formatPath(path)}`);
  const listed = sent.length === 0 ? [] : ["Environment variables sent as secrets:", ...new Set(sent)];
  return [...actions.flatMap(showAction), ...listed, summary].join("\n");
}

export const showDone = (action: PlannedAction): string => `${past[action.type]}: ${nameOfAction(action)}`;

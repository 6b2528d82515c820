import type { Text } from "../../../lib/texts/text.ts";
import { serverText } from "../../platform/i18n/error-texts.ts";
import { type MessageKey, t } from "../../platform/i18n/i18n.ts";

type AdviceKey = Extract<
  MessageKey,
  | `modbusWhy.${string}`
  | `s7Why.${string}`
  | `bacnetWhy.${string}`
  | `opcuaWhy.${string}`
  | `bridge.why.${string}`
>;

/** What to do about a problem, by its code. */
export type Advice = Readonly<Record<string, AdviceKey>>;

/** Problem of a connection, below what to do about it. */
export function ProblemNote(props: { problem: Text; advice: Advice }) {
  const key = props.advice[props.problem.code];
  return (
    <div role="status" class="border-l-4 border-l-error pl-3">
      {key && <p>{t(key)}</p>}
      <p class={key ? "text-sm text-soft wrap-anywhere" : "wrap-anywhere"}>{serverText(props.problem)}</p>
    </div>
  );
}

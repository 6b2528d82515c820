import { enLate } from "./en-late.ts";
import { type MessageKey, t } from "./i18n.ts";

type ActionKey = Extract<MessageKey, `auditAction.${string}`>;

const isKnown = (key: string): key is ActionKey => Object.hasOwn(enLate, key);

/** What was done, in words; as the service calls it where there are none. */
export function actionText(action: string): string {
  const key = `auditAction.${action}`;
  return isKnown(key) ? t(key) : action;
}

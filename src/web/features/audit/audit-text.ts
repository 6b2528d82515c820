import { hasText, t } from "../../platform/i18n/i18n.ts";

/** Returns the action in the reader's language, or the service's name for an action that has no text. */
export function actionText(action: string): string {
  const key = `auditAction.${action}` as const;
  return hasText(key) ? t(key) : action;
}

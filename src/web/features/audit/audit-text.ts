import { textIfAny } from "../../platform/i18n/i18n.ts";

/** Returns the action in the reader's language, or the service's name for an action that has no text. */
export const actionText = (action: string): string => textIfAny(`auditAction.${action}`) ?? action;

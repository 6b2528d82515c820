import { textIfAny } from "../../platform/i18n/i18n.ts";

/** Returns the action in the language of the reader, or its internal name if there is no text. */
export const actionText = (action: string): string => textIfAny(`auditAction.${action}`) ?? action;

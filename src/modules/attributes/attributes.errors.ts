import { invalid } from "../../lib/core/domain-error.ts";

export const invalidScope = () => invalid("attribute.scope_invalid");
export const sharedOnly = () => invalid("attribute.scope_forbidden");

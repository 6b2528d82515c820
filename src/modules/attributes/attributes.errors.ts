import { invalid } from "../../lib/domain-error.ts";

export const invalidScope = () => invalid("attribute.scope_invalid");
export const sharedOnly = () => invalid("attribute.scope_forbidden");

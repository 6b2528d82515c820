import { invalid } from "../../lib/domain-error.ts";

export const invalidScope = () =>
  invalid("attribute.scope_invalid", "scope must be SERVER, SHARED or CLIENT");
export const sharedOnly = () => invalid("attribute.scope_forbidden", "a device may read only SHARED scope");

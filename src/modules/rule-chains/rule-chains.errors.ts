import { conflict, invalid, notFound } from "../../lib/domain-error.ts";

export const ruleChainNotFound = () => notFound("rule_chain.not_found", "There is no such rule chain.");
export const configInvalid = (errors: readonly string[]) =>
  invalid("rule_chain.config_invalid", errors.join("; "));
export const ruleChainsLimit = (limit: number) =>
  conflict("rule_chain.limit", `A tenant has ${limit} rule chains at most; delete one first.`);
export const rateLimit = (message: string) => conflict("rule_chain.rate", message);
export const noDevices = () =>
  conflict(
    "rule_chain.no_devices",
    "The devices of this rule chain were deleted; name others, or none to have one made for it.",
  );

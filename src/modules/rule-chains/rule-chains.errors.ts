import { conflict, invalid, notFound } from "../../lib/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";

export const ruleChainNotFound = () => notFound("rule_chain.not_found");
export const configInvalid = (problems: readonly Text[]) =>
  invalid("rule_chain.config_invalid", { problems });
export const ruleChainsLimit = (limit: number) => conflict("rule_chain.limit", { limit });
export const rateLimit = (excess: Text) => conflict("rule_chain.rate", { excess });
export const noDevices = () => conflict("rule_chain.no_devices");

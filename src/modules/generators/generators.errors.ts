import { conflict, invalid, notFound } from "../../lib/core/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";

export const generatorNotFound = () => notFound("generator.not_found");
export const configInvalid = (problems: readonly Text[]) => invalid("generator.config_invalid", { problems });
export const rateLimit = (excess: Text) => conflict("generator.rate", { excess });
export const noDevices = () => conflict("generator.no_devices");

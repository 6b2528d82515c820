import { conflict, invalid, limited, notFound } from "../../lib/core/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";

export const commandNotFound = () => notFound("command.not_found");
export const requestIdTaken = () => conflict("command.request_id_taken");
export const tooManyCommands = (max: number) => limited("command.too_many", 60, { max });
export const tooMuchInCommands = (mib: number) => limited("command.too_much", 60, { mib });
export const commandEmpty = () => invalid("command.empty");
export const commandInvalid = (rule: Text) => invalid("command.invalid", { rule });

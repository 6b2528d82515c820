import { conflict, invalid, notFound } from "../../lib/domain-error.ts";

export const commandNotFound = () => notFound("command.not_found", "There is no such command.");
export const requestIdTaken = () =>
  conflict("command.request_id_taken", "The device has had a command with this requestId already.");
export const commandEmpty = () =>
  invalid("command.empty", "give command, method, key and value, channel and state, or type");
export const commandInvalid = (message: string) => invalid("command.invalid", message);

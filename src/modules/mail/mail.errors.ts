import { conflict, notFound } from "../../lib/domain-error.ts";

export const mailNotFound = () => notFound("mail.not_found");
export const mailSent = () => conflict("mail.sent");
export const noMailServer = () => conflict("mail.no_server");
export const mailSecretGone = () => conflict("mail.secret_gone");

import { conflict, notFound } from "../../lib/domain-error.ts";

export const mailNotFound = () => notFound("mail.not_found", "There is no such mail.");
export const mailSent = () => conflict("mail.sent", "This mail was sent already.");
export const noMailServer = () =>
  conflict("mail.no_server", "No SMTP server is configured (smtp_url), so no mail can be sent.");
export const mailSecretGone = () =>
  conflict(
    "mail.secret_gone",
    "What this mail was about has expired and was taken out of it; start again where it came from.",
  );

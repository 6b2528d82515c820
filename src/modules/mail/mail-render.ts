import { escapeHtml } from "../../lib/strings/escape-html.ts";
import type { MailPart, OutboxMail, OutgoingMail } from "./mail.types.ts";
import { mailContent } from "./mail-text.ts";

/** Line breaks and other control characters, with which a value could forge lines. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g;
const clean = (value: unknown): unknown => (typeof value === "string" ? value.replace(CONTROLS, " ") : value);

function plain(part: MailPart): string {
  if (part.kind === "link") return `${part.label}: ${part.url}`;
  return part.kind === "code" ? `    ${part.text}` : part.text;
}

/** Renders a part. Styles are inline, because mail programs remove style sheets. */
function html(part: MailPart): string {
  if (part.kind === "link") {
    const url = escapeHtml(part.url);
    const href = /^https?:\/\//.test(part.url) ? ` href="${url}"` : "";
    return `<p style="margin:0 0 16px"><a${href} style="display:inline-block;padding:10px 18px;border-radius:5px;background:#0e5a6b;color:#ffffff;text-decoration:none;font-weight:600">${escapeHtml(part.label)}</a></p><p style="margin:0 0 16px;font-size:13px;color:#586063;word-break:break-all">${url}</p>`;
  }
  if (part.kind === "code")
    return `<p style="margin:0 0 16px;padding:12px 16px;border-radius:5px;background:#f3f3f0;font:600 22px/1.4 ui-monospace,Consolas,monospace;letter-spacing:2px">${escapeHtml(part.text)}</p>`;
  const style = part.kind === "note" ? "margin:0;font-size:13px;color:#586063" : "margin:0 0 16px";
  return `<p style="${style}">${escapeHtml(part.text)}</p>`;
}

/** Renders the mail for sending and for the outbox: plain text, and HTML without external content. */
export function renderMail(
  mail: Pick<OutboxMail, "mailId" | "recipient" | "template" | "language" | "values">,
  product: string,
): OutgoingMail {
  const values = Object.fromEntries(Object.entries(mail.values).map(([name, value]) => [name, clean(value)]));
  const fromName = String(clean(product));
  const { subject, parts } = mailContent({ ...mail, values, product: fromName });
  const body = parts.map(html).join("\n");
  return {
    mailId: mail.mailId,
    fromName,
    to: mail.recipient,
    subject,
    text: `${parts.map(plain).join("\n\n")}\n\n-- \n${fromName}\n`,
    html: `<!doctype html><html lang="${mail.language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${escapeHtml(subject)}</title></head><body style="margin:0;padding:24px;background:#f3f3f0;color:#1a2226;font:15px/1.5 'Segoe UI',Roboto,Ubuntu,sans-serif"><div style="max-width:480px;margin:0 auto;padding:24px;border:1px solid #dddeda;border-radius:6px;background:#ffffff">
${body}
</div><p style="max-width:480px;margin:16px auto 0;font-size:13px;color:#586063">${escapeHtml(fromName)}</p></body></html>`,
  };
}

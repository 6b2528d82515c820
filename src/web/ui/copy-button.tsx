import { Check, Copy } from "lucide-preact";
import { useState } from "preact/hooks";
import { t } from "../platform/i18n/i18n.ts";

/** The clipboard API exists only in secure contexts; gateways are mostly used over plain HTTP. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    (document.querySelector("dialog[open]") ?? document.body).append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    return copied;
  }
}

export function CopyButton({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    setCopied(await copyText(text));
    setTimeout(() => setCopied(false), 2000);
  };
  return (
    <button type="button" class="btn btn-sm" onClick={copy} aria-label={label}>
      {copied ? <Check size={14} aria-hidden="true" /> : <Copy size={14} aria-hidden="true" />}
      <span aria-live="polite">{copied ? t("common.copied") : t("common.copy")}</span>
    </button>
  );
}

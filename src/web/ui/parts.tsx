import { Check, Copy } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { formatAge, formatDate } from "../platform/i18n/format.ts";
import { t } from "../platform/i18n/i18n.ts";
import { now } from "../platform/now.ts";
import { useTitle } from "./use-title.ts";

export function PageHead(props: { title: string; children?: ComponentChildren; detail?: ComponentChildren }) {
  useTitle(props.title);
  return (
    <div class="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
      <div class="min-w-0">
        <h1 class="line-clamp-3 text-xl font-semibold tracking-tight break-words" title={props.title}>
          {props.title}
        </h1>
        {props.detail}
      </div>
      {props.children && <div class="flex flex-wrap items-center gap-2">{props.children}</div>}
    </div>
  );
}

export function Empty(props: {
  title: string;
  hint: string;
  children?: ComponentChildren;
  icon?: ComponentChildren;
}) {
  return (
    <div class="flex flex-col items-center gap-3 px-6 py-12 text-center">
      <div class="text-soft">{props.icon}</div>
      <p class="text-lg font-medium">{props.title}</p>
      <p class="max-w-md text-soft">{props.hint}</p>
      {props.children}
    </div>
  );
}

/** A lamp and the word for it: state is never told by colour alone. */
export function StateLamp({ active, bare = false }: { active: boolean; bare?: boolean }) {
  const text = active ? t("state.active") : t("state.inactive");
  return (
    <span class="inline-flex items-center gap-2.5">
      <span class={`lamp ${active ? "lamp-on" : ""}`} aria-hidden="true" />
      <span class={bare ? "sr-only" : "text-sm"}>{text}</span>
    </span>
  );
}

export function Age({ ts, never }: { ts: number | undefined; never?: string }) {
  if (ts === undefined) return <span>{never ?? t("age.never")}</span>;
  return (
    <time dateTime={new Date(ts).toISOString()} title={formatDate(ts, "zoned")}>
      {formatAge(ts, now.value)}
    </time>
  );
}

/** The clipboard interface exists only on secure origins; gateways are mostly reached by plain http. */
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

/** What had the focus before the first of the dialogs that are open: it has it again after the last. */
let opener: Element | null = null;

function rememberOpener(): void {
  const active = document.activeElement;
  if (active !== document.body && !active?.closest("dialog")) opener = active;
}

function returnFocus(): void {
  if (document.querySelector("dialog[open]")) return;
  if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
  opener = null;
}

/** `firm`: it shows something this once, so that a click beside it does not close it. */
export function Dialog(props: {
  title: string;
  onClose: () => void;
  firm?: boolean;
  children: ComponentChildren;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    rememberOpener();
    ref.current?.showModal();
    return () => queueMicrotask(returnFocus); // once it is out of the page
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes every modal dialog by itself
    <dialog
      ref={ref}
      class="modal"
      onClose={props.onClose}
      onClick={(e) => !props.firm && e.target === ref.current && ref.current?.close()}
      aria-labelledby="dialog-title"
    >
      <div class="modal-box panel max-w-lg">
        <h2 id="dialog-title" class="mb-4 text-lg font-semibold">
          {props.title}
        </h2>
        {props.children}
      </div>
    </dialog>
  );
}

/** `error` says what is wrong with what was entered, where it was entered. */
export function Field(props: {
  label: string;
  hint?: string | undefined;
  error?: string | undefined;
  children: ComponentChildren;
}) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is the child that the caller gives
    <label class="flex flex-col gap-1.5">
      <span class="text-sm font-medium">{props.label}</span>
      {props.children}
      {props.error && (
        <span role="alert" class="text-sm text-error">
          {props.error}
        </span>
      )}
      {props.hint && <span class="text-sm text-soft">{props.hint}</span>}
    </label>
  );
}

export function SubmitButton({ busy, children }: { busy: boolean; children: ComponentChildren }) {
  return (
    <button type="submit" class="btn btn-primary" disabled={busy}>
      {busy && <span class="loading loading-spinner loading-xs" aria-hidden="true" />}
      {children}
    </button>
  );
}

export function Tabs(props: {
  label: string;
  items: readonly { id: string; text: string; href: string }[];
  current: string;
}) {
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    nav.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [props.current]);
  return (
    <nav
      ref={nav}
      class="flex gap-x-1 overflow-x-auto overflow-y-hidden border-b border-base-300 [scrollbar-width:thin] sm:flex-wrap"
      aria-label={props.label}
    >
      {props.items.map(({ id, text, href }) => (
        <a
          key={id}
          href={href}
          aria-current={id === props.current ? "page" : undefined}
          class="-mb-px border-b-2 border-transparent px-3 py-2.5 text-sm font-medium whitespace-nowrap text-soft hover:text-base-content focus-visible:-outline-offset-2 aria-[current=page]:border-primary aria-[current=page]:text-base-content"
        >
          {text}
        </a>
      ))}
    </nav>
  );
}

export function Segments<Id extends string>(props: {
  label: string;
  items: readonly { id: Id; text: string }[];
  current: Id | undefined;
  onChoose: (id: Id) => void;
}) {
  return (
    <fieldset class="join max-w-full min-w-0 overflow-x-auto p-0.5 -m-0.5" aria-label={props.label}>
      {props.items.map(({ id, text }) => (
        <button
          key={id}
          type="button"
          aria-pressed={id === props.current}
          class={`btn btn-sm join-item max-xs:px-2.5 ${id === props.current ? "btn-neutral" : ""}`}
          onClick={() => props.onChoose(id)}
        >
          {text}
        </button>
      ))}
    </fieldset>
  );
}

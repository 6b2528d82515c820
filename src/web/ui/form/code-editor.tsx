import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { type Edit, indent, newLine } from "../../lib/code-keys.ts";
import { tokenLines } from "../../lib/js-tokens.ts";
import { t } from "../../platform/i18n/i18n.ts";

const COLORS: Record<string, string> = {
  comment: "text-soft italic",
  string: "text-success",
  number: "text-accent",
  keyword: "text-info",
  name: "font-semibold text-primary",
};

interface Props {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  /** Number of the marked line, from 1; the reason is shown beside the editor. */
  readonly wrongLine?: number | undefined;
  readonly describedBy?: string;
  readonly readOnly?: boolean;
}

/**
 * A text area with colored JavaScript behind the same text in the same font: caret, selection, undo, search and on-screen keyboard remain the
 * browser's own.
 */
export function CodeEditor({ label, value, onInput, wrongLine, describedBy, readOnly = false }: Props) {
  const area = useRef<HTMLTextAreaElement>(null);
  const leaves = useRef(false);
  const lines = useMemo(() => tokenLines(value), [value]);
  /** Text that was typed last. Any other value was set elsewhere and replaces the text of the area. */
  const typed = useRef(value);
  const take = (text: string) => {
    typed.current = text;
    onInput(text);
  };
  const apply = ({ from, to, text, select }: Edit) => {
    const { current } = area;
    if (!current) return;
    current.setSelectionRange(from, to);
    // Only this keeps the browser's undo history. Browsers without it replace the text.
    if (!document.execCommand("insertText", false, text)) {
      current.setRangeText(text, from, to, "end");
      take(current.value);
    }
    current.setSelectionRange(...select);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { current } = area;
    if (!current || readOnly || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const { selectionStart: from, selectionEnd: to } = current;
    // Escape, then Tab: out of the editor by keyboard alone.
    if (event.key === "Tab" && !leaves.current) {
      event.preventDefault();
      apply(indent(value, from, to, event.shiftKey));
    } else if (event.key === "Enter") {
      event.preventDefault();
      apply(newLine(value, from, to));
    }
    leaves.current = event.key === "Escape";
  };
  // Before the next key event; otherwise, that key would be lost.
  useLayoutEffect(() => {
    if (area.current && value !== typed.current) area.current.value = typed.current = value;
  }, [value]);
  return (
    <div class="flex min-w-0 flex-col gap-1.5">
      <div
        class="code-editor max-h-[70vh] min-h-48 overflow-auto rounded-field border border-base-300 bg-base-100 focus-within:outline-2 focus-within:outline-primary"
        data-testid="code"
      >
        <div class="grid min-h-full w-max min-w-full">
          <pre aria-hidden="true" class="code-text">
            {lines.map((tokens, index) => (
              <span key={index} class={`code-line ${wrongLine === index + 1 ? "code-wrong" : ""}`}>
                {tokens.map(({ kind, text }, place) => (
                  <span key={place} class={COLORS[kind]}>
                    {text}
                  </span>
                ))}
                {"\n"}
              </span>
            ))}
          </pre>
          <textarea
            ref={area}
            class="code-text code-area"
            aria-label={label}
            aria-describedby={describedBy}
            aria-invalid={wrongLine !== undefined}
            autocapitalize="off"
            autocomplete="off"
            autocorrect="off"
            spellcheck={false}
            wrap="off"
            readOnly={readOnly}
            defaultValue={value}
            onInput={(e) => take(e.currentTarget.value)}
            onKeyDown={onKeyDown}
          />
        </div>
      </div>
      {!readOnly && <p class="text-xs text-soft">{t("code.keys")}</p>}
    </div>
  );
}

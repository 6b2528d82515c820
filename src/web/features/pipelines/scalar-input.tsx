import { useEffect, useId, useRef, useState } from "preact/hooks";
import { parseValue, showValue } from "./step-form.ts";

/** Input of a string, a number or any JSON value. With the kind `value`, input that is not JSON becomes a string. */
export function ScalarInput(props: {
  kind: "text" | "number" | "integer" | "value";
  value: unknown;
  onChange: (value: unknown) => void;
  max?: number | undefined;
  label?: string;
  /** Suggested keys, for a field with the name of a key. */
  suggest?: { name: string; keys: readonly string[] };
}) {
  const { kind, value, onChange, max, label, suggest } = props;
  const id = useId();
  const isNumber = kind === "number" || kind === "integer";
  const shown = kind === "value" ? showValue(value) : isNumber ? String(value ?? "") : String(value ?? "");
  const read = (input: HTMLInputElement): unknown => {
    if (input.value === "") return undefined;
    if (kind === "value") return parseValue(input.value);
    return isNumber ? input.valueAsNumber : input.value;
  };
  const [text, setText] = useState(shown);
  const own = useRef(shown);
  // While it is typed, `1.` and `{"a"` stay as they are.
  useEffect(() => {
    if (shown !== own.current) setText(shown);
    own.current = shown;
  }, [shown]);
  const isKey = suggest !== undefined && ["key", "from", "to"].includes(suggest.name);
  return (
    <>
      <input
        class="input reading w-full"
        type={isNumber ? "number" : "text"}
        step={kind === "integer" ? 1 : "any"}
        autocapitalize="off"
        autocomplete="off"
        spellcheck={false}
        maxLength={max}
        aria-label={label}
        list={isKey ? id : undefined}
        value={text}
        onInput={(e) => {
          setText(e.currentTarget.value);
          const created = read(e.currentTarget);
          own.current = kind === "value" ? showValue(created) : String(created ?? "");
          onChange(created);
        }}
      />
      {isKey && (
        <datalist id={id}>
          {suggest.keys.map((key) => (
            <option key={key} value={key} />
          ))}
        </datalist>
      )}
    </>
  );
}

import { Search } from "lucide-preact";
import { useEffect, useRef, useState } from "preact/hooks";

const TYPING_PAUSE_MS = 200;

/** Reports the text when typing pauses. */
export function SearchBox(props: {
  label: string;
  value: string;
  onSearch: (text: string) => void;
  class?: string;
}) {
  const [text, setText] = useState(props.value);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  useEffect(() => setText(props.value), [props.value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const type = (value: string) => {
    setText(value);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => props.onSearch(value.trim()), TYPING_PAUSE_MS);
  };
  return (
    <label class={`input input-sm w-full ${props.class ?? "sm:w-64"}`}>
      <Search size={15} class="text-soft" aria-hidden="true" />
      {/* It belongs to no form: Enter must not submit one around it. */}
      <input
        form="search"
        type="search"
        value={text}
        placeholder={props.label}
        aria-label={props.label}
        onInput={(e) => type(e.currentTarget.value)}
      />
    </label>
  );
}

import type { LucideIcon } from "lucide-preact";

/** A button that opens the browser's file dialog. */
export function FileButton(props: {
  icon: LucideIcon;
  text: string;
  accept: string;
  disabled?: boolean;
  onFile: (file: File | undefined) => void;
}) {
  const Icon = props.icon;
  return (
    <label
      class={`btn btn-sm focus-within:outline-2 focus-within:outline-primary ${props.disabled ? "btn-disabled" : ""}`}
    >
      <Icon size={16} aria-hidden="true" />
      {props.text}
      <input
        type="file"
        accept={props.accept}
        class="sr-only"
        disabled={props.disabled}
        onChange={(e) => {
          props.onFile(e.currentTarget.files?.[0]);
          e.currentTarget.value = "";
        }}
      />
    </label>
  );
}

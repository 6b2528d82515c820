import type { LucideIcon } from "lucide-preact";
import type { JSX } from "preact";

interface Props
  extends Omit<JSX.ButtonHTMLAttributes<HTMLButtonElement>, "icon" | "label" | "size" | "type"> {
  readonly icon: LucideIcon;
  readonly size?: number;
  readonly label: string;
}

/** A button with an icon only; `label` is its name and its tooltip. Accepts the attributes of `button`. */
export function IconButton({ icon: Icon, size = 16, label, ...button }: Props) {
  return (
    <button type="button" class="btn btn-ghost btn-sm" aria-label={label} title={label} {...button}>
      <Icon size={size} aria-hidden="true" />
    </button>
  );
}

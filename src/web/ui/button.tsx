import type { LucideIcon } from "lucide-preact";
import type { ComponentChildren, JSX } from "preact";

interface Props extends Omit<JSX.ButtonHTMLAttributes<HTMLButtonElement>, "icon" | "size" | "type"> {
  readonly icon: LucideIcon;
  readonly size?: number;
  readonly children: ComponentChildren;
}

/** A button with an icon before its text. Accepts the attributes of `button`. */
export function Button({ icon: Icon, size = 16, children, ...button }: Props) {
  return (
    <button type="button" class="btn btn-sm" {...button}>
      <Icon size={size} aria-hidden="true" />
      {children}
    </button>
  );
}

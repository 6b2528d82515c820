import type { LucideIcon } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { Empty } from "./empty.tsx";

/** Panel that stands in the place of an empty list. */
export function EmptyPanel(props: {
  icon: LucideIcon;
  title: string;
  hint: string;
  children?: ComponentChildren;
}) {
  const { icon: Icon, ...rest } = props;
  return (
    <div class="panel">
      <Empty icon={<Icon size={32} aria-hidden="true" />} {...rest} />
    </div>
  );
}

import type { LucideIcon } from "lucide-preact";
import type { ComponentChildren } from "preact";

interface Props {
  readonly title: string;
  readonly hint: string;
  readonly icon?: LucideIcon;
  readonly children?: ComponentChildren;
}

export const Empty = ({ icon: Icon, title, hint, children }: Props) => (
  <div class="flex flex-col items-center gap-3 px-6 py-12 text-center">
    <div class="text-soft">{Icon && <Icon size={32} aria-hidden="true" />}</div>
    <p class="text-lg font-medium">{title}</p>
    <p class="max-w-md text-soft">{hint}</p>
    {children}
  </div>
);

export const EmptyPanel = (props: Props) => (
  <div class="panel">
    <Empty {...props} />
  </div>
);

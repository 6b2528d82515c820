import { Pencil, Plus, Trash2 } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { IconButton } from "../icon-button.tsx";

export const EditLink = ({ href, label }: { href: string; label: string }) => (
  <a class="btn btn-ghost btn-sm" href={href} aria-label={label} title={label}>
    <Pencil size={16} aria-hidden="true" />
  </a>
);

export const DeleteButton = ({ label, onClick }: { label: string; onClick: () => void }) => (
  <IconButton icon={Trash2} label={label} class="btn btn-ghost btn-sm text-error" onClick={onClick} />
);

export const CreateLink = ({ href, children }: { href: string; children: ComponentChildren }) => (
  <a class="btn btn-primary btn-sm" href={href}>
    <Plus size={16} aria-hidden="true" />
    {children}
  </a>
);

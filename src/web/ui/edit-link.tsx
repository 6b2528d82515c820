import { Pencil } from "lucide-preact";

/** Link to the form of a row, as an icon. */
export const EditLink = ({ href, label }: { href: string; label: string }) => (
  <a class="btn btn-ghost btn-sm" href={href} aria-label={label} title={label}>
    <Pencil size={16} aria-hidden="true" />
  </a>
);

import { ArrowLeft } from "lucide-preact";
import type { ComponentChildren } from "preact";

/** Link from a page to the list that it belongs to. */
export const BackLink = ({ href, children }: { href: string; children: ComponentChildren }) => (
  <a class="link link-hover inline-flex items-center gap-1.5 self-start text-sm text-soft" href={href}>
    <ArrowLeft size={14} aria-hidden="true" />
    {children}
  </a>
);

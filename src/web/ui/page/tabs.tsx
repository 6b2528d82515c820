import { useEffect, useRef } from "preact/hooks";

export function Tabs(props: {
  label: string;
  items: readonly { id: string; text: string; href: string }[];
  current: string;
}) {
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    nav.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [props.current]);
  return (
    <nav
      ref={nav}
      class="flex gap-x-1 overflow-x-auto overflow-y-hidden border-b border-base-300 [scrollbar-width:thin] sm:flex-wrap"
      aria-label={props.label}
    >
      {props.items.map(({ id, text, href }) => (
        <a
          key={id}
          href={href}
          aria-current={id === props.current ? "page" : undefined}
          class="-mb-px border-b-2 border-transparent px-3 py-2.5 text-sm font-medium whitespace-nowrap text-soft hover:text-base-content focus-visible:-outline-offset-2 aria-[current=page]:border-primary aria-[current=page]:text-base-content"
        >
          {text}
        </a>
      ))}
    </nav>
  );
}

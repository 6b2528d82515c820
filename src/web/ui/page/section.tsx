import type { ComponentChildren } from "preact";

/** A part of a page in a panel of its own, with a title and a hint. `id` identifies the title within the page. */
export function Section(props: {
  id: string;
  title: string;
  hint?: string;
  /** Level of the title: 3 below the title of a nested page. */
  level?: 2 | 3;
  children: ComponentChildren;
}) {
  const Title = props.level === 3 ? "h3" : "h2";
  return (
    <section class="panel flex flex-col gap-4 p-4 sm:p-5" aria-labelledby={props.id}>
      <div>
        <Title id={props.id} class="font-semibold">
          {props.title}
        </Title>
        {props.hint && <p class="text-sm text-soft">{props.hint}</p>}
      </div>
      {props.children}
    </section>
  );
}

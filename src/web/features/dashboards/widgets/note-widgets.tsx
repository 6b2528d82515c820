import { type Block, type Inline, parseMarkdown } from "../markdown.ts";
import { isPicture } from "./plan.tsx";
import { scrolling, textField } from "./values.ts";
import type { WidgetProps } from "./widget.types.ts";

function Text({ content }: { content: readonly Inline[] }) {
  return (
    <>
      {content.map((part, index) => {
        const key = `${index} ${part.text}`;
        if (part.kind === "strong") return <strong key={key}>{part.text}</strong>;
        if (part.kind === "em") return <em key={key}>{part.text}</em>;
        if (part.kind === "code")
          return (
            <code key={key} class="reading">
              {part.text}
            </code>
          );
        if (part.kind === "link")
          return (
            <a key={key} class="link" href={part.href} rel="noreferrer">
              {part.text}
            </a>
          );
        return part.text;
      })}
    </>
  );
}

const headingClass = { 1: "text-xl font-semibold", 2: "text-lg font-semibold", 3: "font-semibold" } as const;

function Paragraph({ block }: { block: Block }) {
  switch (block.kind) {
    case "heading":
      // One level below the widget's own heading.
      return (
        <h3 class={headingClass[block.level]}>
          <Text content={block.content} />
        </h3>
      );
    case "code":
      return <pre class="reading overflow-x-auto rounded-field bg-base-200 p-2 text-sm">{block.text}</pre>;
    case "list": {
      const List = block.ordered ? "ol" : "ul";
      return (
        <List class={`pl-5 ${block.ordered ? "list-decimal" : "list-disc"}`}>
          {block.items.map((item, index) => (
            <li key={`${index} ${item[0]?.text}`}>
              <Text content={item} />
            </li>
          ))}
        </List>
      );
    }
    default:
      return (
        <p>
          <Text content={block.content} />
        </p>
      );
  }
}

export function MarkdownWidget({ widget }: WidgetProps) {
  const image = textField(widget, "image");
  const blocks = parseMarkdown(textField(widget, "text"));
  return (
    <div {...scrolling} class="flex h-full min-h-0 flex-col gap-2 widget-scroll wrap-anywhere">
      {isPicture(image) && (
        <img class="min-h-0 flex-1 object-contain" src={image} alt={textField(widget, "alt")} />
      )}
      {blocks.map((block, index) => (
        <Paragraph key={`${index} ${block.kind}`} block={block} />
      ))}
    </div>
  );
}

import type { ComponentChildren, Ref } from "preact";
import { useState } from "preact/hooks";
import { textField } from "./values.ts";
import type { WidgetProps } from "./widget.types.ts";

/** Returns whether a text is a picture in the dashboard itself: nothing is loaded from elsewhere. */
export const isPicture = (text: string) => /^data:image\/(png|jpeg|webp|gif|svg\+xml);base64,/.test(text);

/**
 * Picture of a widget, as large as possible. Elements on it are placed by shares of its width and height. With `isWide`, it has the full width and
 * the height of its aspect ratio.
 */
export function Plan(props: {
  widget: WidgetProps["widget"];
  alt: string;
  isWide?: boolean;
  /** Aspect ratio without a picture; undefined fills the available space. */
  ratio?: number;
  surface?: Ref<HTMLDivElement>;
  children: ComponentChildren;
}) {
  const { widget, alt, isWide = false, surface = null, children } = props;
  const [pictureRatio, setRatio] = useState<number | undefined>(undefined);
  const image = textField(widget, "image");
  const ratio = isPicture(image) ? pictureRatio : props.ratio;
  return (
    <div
      class={`grid place-items-center overflow-hidden rounded-field bg-base-200 ${isWide ? "w-full" : "size-full [container-type:size]"}`}
    >
      <div ref={surface} class="@container relative" style={sizeOf(ratio, isWide)}>
        {isPicture(image) && (
          <img
            class="size-full"
            src={image}
            alt={alt}
            onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
              setRatio(naturalHeight > 0 ? naturalWidth / naturalHeight : undefined)
            }
          />
        )}
        {children}
      </div>
    </div>
  );
}

/** Aspect ratio of a plan without a picture, if the height follows the width. */
const RATIO_DEFAULT = 4 / 3;

/** Returns the size. The ratio is a text, because a number would get the unit px. */
function sizeOf(ratio: number | undefined, isWide: boolean) {
  if (isWide) return { aspectRatio: `${ratio ?? RATIO_DEFAULT}`, width: "100%" };
  return ratio === undefined
    ? { width: "100%", height: "100%" }
    : { aspectRatio: `${ratio}`, width: `min(100cqw, ${100 * ratio}cqh)` };
}

export const exploreEn = {
  "explore.add": "Add values",
  "explore.noDevice": "No device matches.",
  "explore.keysOf": "Values of {name}",
  "explore.shown": "shown",
  "explore.empty": "Compare any values of any devices",
  "explore.emptyHint":
    "Select a device, then its values. Numbers become lines; texts and switches become coloured lanes. The address of the page keeps the view.",
  "explore.series": "Values shown",
  "explore.remove": "Remove {name}",
  "explore.compare": "Compare with the previous period",
  "explore.split": "One chart for each",
  "explore.join": "All in one chart",
  "explore.appearance": "Style and axes",
  "explore.copyLink": "Copy link",
  "explore.copied": "The link is copied.",
  "explore.linkInBar": "Copy the link from the address bar.",
  "explore.save": "Save as dashboard",
} as const;

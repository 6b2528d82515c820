export const demoPlantEn = {
  "demo.title": "Demo plant",
  "demo.running": "The demo plant is running: {count} made-up devices.",
  "demo.stopped": "The demo plant stands still.",
  "demo.history": "Its history is being stored: {percent} %.",
  "demo.open": "Its dashboard",
  "demo.stop": "Stop it",
  "demo.remove": "Remove it",
  "demo.removeWarning":
    "Its devices and all that they have sent are gone then, with its profiles and its dashboard.",
} as const;

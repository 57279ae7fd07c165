/** A section of a Slack message (Block Kit). */
interface Section {
  text: { text: string };
}

/** Draws a Slack message from its blocks: our own drawing and font, not a picture of Slack. */
export function drawSlackMessage(sender: string, blocks: readonly Section[]): string {
  return `<!doctype html>
<style>
  body { margin: 0; font: 15px/1.47 system-ui, "Liberation Sans", sans-serif; color: #1d1c1d }
  main { display: grid; grid-template-columns: 36px 1fr; gap: 8px 10px; padding: 20px; width: 600px }
  .sender { width: 36px; height: 36px; border-radius: 6px; background: #0f5c5c; grid-row: span 9 }
  small { background: #e8e8e8; border-radius: 3px; padding: 1px 4px; font-size: 11px; color: #555 }
  p { margin: 0 } a { color: #1264a3; text-decoration: none }
</style>
<main><span class="sender"></span><p><b>${sender}</b> <small>APP</small></p>
${blocks.map(({ text }) => `<p>${drawText(text.text)}</p>`).join("\n")}</main>`;
}

/** Slack's mrkdwn as HTML; its texts are already escaped for HTML. */
function drawText(text: string): string {
  return text.replaceAll(/<([^|>]+)\|([^>]+)>/g, '<a href="$1">$2</a>')
    .replaceAll(/\*([^*\n]+)\*/g, "<b>$1</b>").replaceAll("\n", "<br>");
}

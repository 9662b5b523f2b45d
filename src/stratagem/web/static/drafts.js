// The front page of drafts: the live one, and a new room for a mock draft.

import { $, call, every, held, hold, keep } from "./api.js";

const live = $("live"); // where the server was started for a draft
const key = live?.getAttribute("href").split("/").pop();
const mine = Object.values(held()[key]?.seats ?? {})[0];
if (mine) live.setAttribute("href", `/room/${key}#${mine}`);

for (const choice of every(".seat-choice")) {
  if (!choice.querySelector("[selected]")) choice.selectedIndex = 1; // a bot
}

$("mock").addEventListener("submit", async (event) => {
  event.preventDefault();
  $("problem").textContent = "";
  const seats = every(".seat-choice").map((choice) => choice.value);
  try {
    const made = await call("/api/rooms", { body: { seats } });
    keep(`invitations ${made.room}`, made.invitations);
    hold(made.room, { title: "A mock draft", room: true }, 0, made.token);
    location.href = `/room/${made.room}#${made.token}`;
  } catch (error) {
    $("problem").textContent = error.message;
  }
});

$("preset").addEventListener("change", () => {
  const { teams, roster, catch: points } = $("preset").selectedOptions[0].dataset;
  [$("teams").value, $("slots").value, $("catch").value] = [teams, roster, points ?? ""];
  $("catching").hidden = points === undefined; // scored by categories
});
$("preset").dispatchEvent(new Event("change"));
$("own").addEventListener("submit", async (event) => {
  event.preventDefault();
  $("own-problem").textContent = "";
  const [file] = $("export").files;
  try {
    const table = file ? await file.text() : "";
    const points = $("catch").value;
    const league = {
      preset: $("preset").value, teams: Number($("teams").value), you: Number($("you").value), roster: $("slots").value,
      catch: points === "" ? null : Number(points), table,
    };
    const made = await call("/api/rooms", { body: { seats: ["person", "adp"], league } });
    hold(made.room, { title: "A mock draft of my league", room: true }, league.you - 1, made.token);
    location.href = `/room/${made.room}#${made.token}`;
  } catch (error) {
    $("own-problem").textContent = error.message;
  }
});

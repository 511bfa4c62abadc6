// The copy button of a block with prompts takes its code alone: neither prompts nor what is printed.
for (const code of document.querySelectorAll("pre > code")) {
  const lines = code.textContent.split("\n")
  const prompt = [/^(>>>|\.\.\.)( |$)/, /^\$ /].find((prompt) => prompt.test(lines[0]))
  if (prompt) {
    const typed = lines.filter((line) => prompt.test(line))
    code.setAttribute("data-copy", typed.map((line) => line.replace(prompt, "")).join("\n"))
  }
}

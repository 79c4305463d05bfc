-- Asks the server what a user of Neovim would, and prints each answer as a line of JSON. The kernel is on line LINE.
local line = tonumber(vim.env.LINE)
local started = vim.loop.hrtime()
local buffer = vim.api.nvim_get_current_buf()
local uri = vim.uri_from_bufnr(buffer)

local function say(what, value)
  io.stdout:write("\n@" .. what .. " " .. vim.fn.json_encode(value) .. "\n")
end

local function answer(method, params)
  params.textDocument = { uri = uri }
  for _, reply in pairs(vim.lsp.buf_request_sync(buffer, method, params, 60000) or {}) do
    return reply.result
  end
end

vim.wait(60000, function() return #vim.diagnostic.get(buffer) > 0 end, 5)
say("seconds", (vim.loop.hrtime() - started) / 1e9)
say("found", vim.tbl_map(function(d) return { d.lnum + 1, d.code } end, vim.diagnostic.get(buffer)))
say("hover", answer("textDocument/hover", { position = { line = line - 1, character = 5 } }).contents.value)
local whole = { start = { line = 0, character = 0 }, ["end"] = { line = vim.fn.line("$"), character = 0 } }
say("hints", #(answer("textDocument/inlayHint", { range = whole }) or {}))
say("lenses", #(answer("textDocument/codeLens", {}) or {}))
vim.api.nvim_win_set_cursor(0, { line, 0 })
local before = vim.api.nvim_buf_get_changedtick(buffer)
vim.lsp.buf.code_action({ apply = true, context = { only = { "source.fixAll" }, diagnostics = {} } })
vim.wait(60000, function() return vim.api.nvim_buf_get_changedtick(buffer) > before end, 5)
vim.cmd("write")
vim.cmd("qa!")

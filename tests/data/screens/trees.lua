local t = {}
local function tree(n) if n == 0 then return {} end return { tree(n-1), tree(n-1), name = "node" .. n } end
for i = 1, 20 do t[i] = tree(8) end
local s = {}
for i = 1, 2000 do s[#s+1] = string.format("%d:%s", i, ("x"):rep(i % 50)) end
local text = table.concat(s, ",")
for w in text:gmatch("%d+") do t[w] = #w end
table.sort(s)
print(#text, collectgarbage("count") > 0)

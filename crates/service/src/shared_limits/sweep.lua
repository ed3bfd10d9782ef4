-- Forgets what is over, a step at a time so that nobody waits; returns how many went, how many are left.
-- KEYS: all of them by when they end; and for tries to sign in, by how much they count.
-- ARGV: most that may be left, most of a step.
local call = redis.call
local by_end, by_count = KEYS[1], KEYS[2]
local kept_max, most = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = call('TIME')
local now = string.format('%.0f', tonumber(time[1]) * 1000000 + tonumber(time[2]))
local gone = call('ZRANGEBYSCORE', by_end, '-inf', now, 'LIMIT', 0, most)
local many = call('ZCARD', by_end) - kept_max
if by_count and #gone == 0 and many > 0 then
    -- What is least guessed at goes first, so that a flood of names cannot wash a real count away.
    gone = call('ZRANGE', by_count, 0, math.min(many, most) - 1)
end
for _, key in ipairs(gone) do
    call('ZREM', by_end, key)
    if by_count then
        call('ZREM', by_count, key)
        call('DEL', key)
    end
end
return { #gone, call('ZCARD', by_end) }

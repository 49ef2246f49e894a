local Account = {}

function Account.withdraw.now:all(amount, ...)
    self.balance[1] = self.balance["x"] - amount
    print "done" { a = 1; [2] = 2, 3 } [[long]]
end
local function helper() end
Account:withdraw(100.5e3)
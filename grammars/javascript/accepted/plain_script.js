// A comment
var total = (0) , items=[ 1 , 2 ] ;
function addAll ( first , ...rest ) {
  for (var index = 0; index < rest.length; index++) {
    if (!rest[index]) continue;
    total += rest [ index ] /* here */ ;
  }
  return total;
}
(function () {})();
